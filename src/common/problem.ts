import { STATUS_CODES } from 'node:http';

export type FieldErrors = Record<string, string[]>;

interface Details {
  errors?: FieldErrors;
  headers?: Record<string, string>;
  cause?: unknown;
}

/** An answer that says what went wrong (RFC 9457). Each code is stable: clients tell problems apart by it. */
export class Problem extends Error {
  readonly errors: FieldErrors | undefined;
  readonly headers: Record<string, string>;

  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    { errors, headers = {}, cause }: Details = {},
  ) {
    super(detail, { cause });
    this.errors = errors;
    this.headers = headers;
  }

  toJSON(instance: string, requestId: string) {
    return {
      type: 'about:blank',
      title: STATUS_CODES[this.status] ?? 'Error',
      status: this.status,
      detail: this.detail,
      instance,
      code: this.code,
      request_id: requestId,
      ...(this.errors && { errors: this.errors }),
    };
  }
}

export class Malformed extends Problem {
  constructor(detail: string) {
    super(400, 'malformed', detail);
  }
}

export class Unauthorized extends Problem {
  constructor() {
    super(401, 'unauthorized', 'This needs a valid API key in the header "Authorization: Bearer …".', {
      headers: { 'WWW-Authenticate': 'Bearer realm="Milepost"' },
    });
  }
}

export class ScopeTooNarrow extends Problem {
  constructor() {
    super(403, 'scope_too_narrow', 'This needs an API key of the scope "full"; yours may only read.', {
      headers: { 'WWW-Authenticate': 'Bearer realm="Milepost", error="insufficient_scope"' },
    });
  }
}

export class NotFound extends Problem {
  constructor(what: string) {
    super(404, 'not_found', `There is no such ${what}.`);
  }
}

export class NotAcceptable extends Problem {
  constructor(types: readonly string[]) {
    super(
      406,
      'not_acceptable',
      `This can be had as ${types.join(', ')}; the header Accept allows none of them.`,
    );
  }
}

export class PreconditionFailed extends Problem {
  constructor() {
    super(
      412,
      'precondition_failed',
      'It was changed in the meantime, or If-Match and If-None-Match ask for another version.',
    );
  }
}

export class TooLarge extends Problem {
  constructor() {
    super(413, 'too_large', 'The body is larger than allowed here.');
  }
}

export class UnsupportedBody extends Problem {
  constructor(types = 'application/x-www-form-urlencoded or application/json') {
    super(415, 'unsupported_body', `Send the body as ${types}, in UTF-8.`);
  }
}

export class InvalidFields extends Problem {
  constructor(errors: FieldErrors) {
    super(422, 'invalid_fields', 'Some fields are not allowed as they are; see "errors".', { errors });
  }
}

export class Unexpected extends Problem {
  constructor(cause: unknown) {
    super(500, 'internal_error', 'Something went wrong here; the log has more under the request id.', {
      cause,
    });
  }
}
