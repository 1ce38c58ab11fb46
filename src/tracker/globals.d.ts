type Call = [command: string, name?: string];

interface Window {
  milepost?: {
    (...call: Call): void;
    /** Where the stub, which a page may bring, puts the calls. */
    q?: Call[] | { push(call: Call): void };
  };
}

interface Document {
  readonly prerendering?: boolean;
}
