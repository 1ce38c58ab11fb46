import { expectDocumented } from './documented';

export interface Answer {
  status: number;
  headers: Headers;
  body: any;
  text: string;
}

type Body = string | Uint8Array;

interface Sent {
  form?: Record<string, unknown> | string;
  json?: unknown;
  body?: Body;
  type?: string;
  headers?: Record<string, string>;
}

/** Calls the service over HTTP as one caller, and checks every answer against the OpenAPI document. */
export class ApiClient {
  constructor(
    private readonly address: string,
    private readonly key?: string,
  ) {}

  get = (path: string, sent?: Sent) => this.send('GET', path, sent);
  post = (path: string, sent?: Sent) => this.send('POST', path, sent);
  put = (path: string, sent?: Sent) => this.send('PUT', path, sent);
  patch = (path: string, sent?: Sent) => this.send('PATCH', path, sent);
  delete = (path: string, sent?: Sent) => this.send('DELETE', path, sent);

  as(key: string | undefined): ApiClient {
    return new ApiClient(this.address, key);
  }

  async send(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const { body, type } = bodyOf(sent);
    const response = await fetch(this.address + path, {
      method,
      body: (body ?? null) as BodyInit | null,
      redirect: 'manual',
      headers: {
        Accept: 'application/json',
        ...(this.key && { Authorization: `Bearer ${this.key}` }),
        ...(type && { 'Content-Type': type }),
        ...sent.headers,
      },
    });
    const text = await response.text();
    const json =
      method !== 'HEAD' &&
      /^application\/(problem\+)?json\b/.test(response.headers.get('Content-Type') ?? '');
    const answer = {
      status: response.status,
      headers: response.headers,
      body: json ? (JSON.parse(text) as unknown) : undefined,
      text,
    };
    expectDocumented(method, path, answer);
    return answer;
  }
}

function bodyOf({ form, json, body, type }: Sent): { body: Body | undefined; type: string | undefined } {
  if (form !== undefined) {
    const text =
      typeof form === 'string' ? form : new URLSearchParams(form as Record<string, string>).toString();
    return { body: text, type: type ?? 'application/x-www-form-urlencoded' };
  }
  if (json !== undefined) return { body: JSON.stringify(json), type: type ?? 'application/json' };
  return { body, type };
}
