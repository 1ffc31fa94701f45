// What a client call can throw beside bugs. The message of each says what to do.

/** The request is refused before anything is sent, or by the run itself; the message names the field and the mend. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
}

/** There is no run of that id on this server, or it is past the namespace's retention. */
export class RunNotFound extends Error {
  override readonly name = 'RunNotFound';
  readonly run: string;

  constructor(run: string, options?: ErrorOptions) {
    super(`There is no run ${run}. \`list\` shows the runs that there are.`, options);
    this.run = run;
  }
}

/** The server is up and has no such namespace. */
export class NamespaceNotFound extends Error {
  override readonly name = 'NamespaceNotFound';
  readonly namespace: string;

  constructor(namespace: string, options?: ErrorOptions) {
    super(
      `The Temporal server has no namespace ${namespace}. Set TEMPORAL_NAMESPACE to one that it has, ` +
        `or make it: temporal operator namespace create --namespace ${namespace}`,
      options,
    );
    this.namespace = namespace;
  }
}

/** A run of that id exists already. */
export class RunExists extends Error {
  override readonly name = 'RunExists';
  readonly run: string;
  /** As `show` names it. */
  readonly state: string;

  constructor(run: string, state: string, options?: ErrorOptions) {
    super(`The run ${run} exists already and is ${state}. Choose another id, or attach to it.`, options);
    this.run = run;
    this.state = state;
  }
}

/** The run is closing, or over, and nothing can be said to it. */
export class RunClosed extends Error {
  override readonly name = 'RunClosed';
  readonly run: string;

  constructor(run: string, options?: ErrorOptions) {
    super(`The run ${run} is closing or over. Start a new one.`, options);
    this.run = run;
  }
}

/** The run takes nothing more just now: Temporal limits the updates of a link, or holds one that the run cannot read. */
export class RunBusy extends Error {
  override readonly name = 'RunBusy';
  readonly run: string;

  constructor(run: string, reason: string, options?: ErrorOptions) {
    super(`The run ${run} takes no message now; send it again when it has gone on. Temporal says: ${reason}`, options);
    this.run = run;
  }
}

/** Nobody serves the run: the server is up, and no worker answered in time. */
export class WorkerUnavailable extends Error {
  override readonly name = 'WorkerUnavailable';
  readonly run: string;

  constructor(run: string, timeoutMs: number, options?: ErrorOptions) {
    super(
      `No worker answered for the run ${run} within ${timeoutMs} ms. Start a worker; the run goes on then.`,
      options,
    );
    this.run = run;
  }
}

/** The Temporal server does not answer. */
export class ServerUnavailable extends Error {
  override readonly name = 'ServerUnavailable';

  constructor(reason: string, options?: ErrorOptions) {
    super(`The Temporal server does not answer: ${reason}. Its runs go on when it is back.`, options);
  }
}
