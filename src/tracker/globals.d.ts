interface Details {
  props?: Record<string, string | number | boolean>;
  value?: number | string;
  currency?: string;
}

type Call = [command: string, name?: string, details?: Details];

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
