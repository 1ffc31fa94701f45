// What a worker process of the demo tells the script that started it.

/** One fact, sent before whatever comes after it. */
export type Fact =
  | { readonly type: 'ready' }
  | { readonly type: 'model_asked'; readonly iteration: number }
  | { readonly type: 'model_wrote'; readonly iteration: number }
  | { readonly type: 'model_answered'; readonly iteration: number }
  | { readonly type: 'tool_started'; readonly iteration: number; readonly idempotencyKey: string }
  | { readonly type: 'page_copied'; readonly chapter: number; readonly page: number };
