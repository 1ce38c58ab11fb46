import { ScopeTooNarrow } from '../common/problem';
import type { ApiKey, Scope } from './api-key.entity';

/** Throws where a key may not do what needs this scope, or concerns more than the websites that it is limited to. */
export function checkRights(key: ApiKey, scope: Scope, keepsToWebsites: boolean): void {
  if (key.scope !== 'full' && key.scope !== scope)
    throw new ScopeTooNarrow(`The scope of this API key is "${key.scope}", which does not allow this.`);
  if (key.websites && !keepsToWebsites)
    throw new ScopeTooNarrow('This API key is limited to some websites, which does not allow this.');
}
