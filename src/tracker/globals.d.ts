interface Details {
  props?: Record<string, string | number | boolean>;
  value?: number | string;
  currency?: string;
  passive?: boolean;
}

type Call = [command: string, name?: string, details?: Details];

interface Window {
  milepost?: {
    (...call: Call): void;
    /** Queued calls: a page may include a stub that collects them. */
    q?: Call[] | { push(call: Call): void };
  };
}

interface Document {
  readonly prerendering?: boolean;
}
