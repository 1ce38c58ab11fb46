import { Injectable } from '@nestjs/common';
import type { ApiKey } from '../auth/api-key.entity';
import { ApiKeysService } from '../auth/api-keys.service';
import { InvalidFields } from '../../engine/ground/errors';
import { LimitReached, NotFound } from '../common/problems';
import type { Rows } from '../../engine/ground/rows';
import { Database } from '../../engine/database/database';
import type { PageQuery } from '../validation/page-query';
import { Limits } from '../limits/limits';
import { WebsitesService } from '../websites/websites.service';
import type { CreateKey } from './dto/create-key.dto';
import { KeyDeletionView, KeyView, type NewKeyView } from './dto/key.view';

const MAX_KEYS = 100;

/** The keys of a user, for management by that user. */
@Injectable()
export class KeysService {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly websites: WebsitesService,
    private readonly database: Database,
    private readonly limits: Limits,
  ) {}

  async page(ownerId: number, query: PageQuery): Promise<Rows<KeyView>> {
    const { rows, total } = await this.keys.page(ownerId, query);
    return { rows: rows.map(KeyView.of), total };
  }

  async show(ownerId: number, id: number): Promise<KeyView> {
    return KeyView.of(found(await this.keys.findOwn(ownerId, id)));
  }

  async create(ownerId: number, wish: CreateKey): Promise<NewKeyView> {
    const { name, scope, websites = null, expires_at: expiresAt = null } = wish;
    if (expiresAt && expiresAt.getTime() <= (await this.database.now()))
      throw new InvalidFields({ expires_at: ['must not be in the past'] });
    if (websites) await this.checkOwned(ownerId, websites);
    const { refusal } = this.limits.take('new-keys', { user: ownerId });
    if (refusal) throw refusal;
    const made = await this.keys.createAtMost(MAX_KEYS, ownerId, { name, scope, websites, expiresAt });
    if (!made) throw new LimitReached('user', MAX_KEYS, 'keys');
    return { ...KeyView.of(made.key), key: made.secret };
  }

  async delete(ownerId: number, id: number): Promise<KeyDeletionView> {
    found(await this.keys.findOwn(ownerId, id));
    if (!(await this.keys.revoke(id))) throw new NotFound('Key');
    return { id, object: 'key', deleted: true };
  }

  /** Another user's website is reported like a missing one. */
  async checkOwned(ownerId: number, websites: number[]): Promise<void> {
    const owned = await this.websites.owned(ownerId, websites);
    const missing = websites.filter((id) => !owned.has(id));
    if (missing.length > 0)
      throw new InvalidFields({ websites: [`there is no website ${missing.join(', ')}`] });
  }
}

function found(key: ApiKey | null): ApiKey {
  if (!key) throw new NotFound('Key');
  return key;
}
