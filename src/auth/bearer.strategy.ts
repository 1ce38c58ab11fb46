import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import type { ApiKey } from './api-key.entity';
import { ApiKeysService } from './api-keys.service';

@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(private readonly keys: ApiKeysService) {
    super();
  }

  /** The library would take a key from the query and the body too; it is shown the header alone. */
  override authenticate({ headers }: { headers: object }): void {
    super.authenticate({ headers } as never);
  }

  validate(secret: string): Promise<ApiKey | null> {
    return this.keys.recognise(secret);
  }
}
