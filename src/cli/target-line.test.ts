import { expect, test } from 'vitest';
import { targetLine } from './target-line.ts';

test('the line says which of the three kinds of server is used, and where', () => {
  const at = { address: '127.0.0.1:7233', namespace: 'default' };
  expect(targetLine({ ...at, source: 'embedded', uiUrl: 'http://127.0.0.1:8233' })).toBe(
    'Temporal: embedded server on 127.0.0.1:7233, UI at http://127.0.0.1:8233',
  );
  expect(targetLine({ ...at, source: 'local' })).toBe('Temporal: dev server on 127.0.0.1:7233');
  expect(targetLine({ ...at, source: 'configured', namespace: 'team.a' })).toBe(
    'Temporal: 127.0.0.1:7233, namespace team.a',
  );
});
