import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../auth/api-keys.service';
import { Database } from '../database/database';
import type { User } from './user.entity';
import { UsersRepository } from './users.repository';

const FIRST_USER = 'admin@localhost';

@Injectable()
export class UsersService {
  constructor(
    private readonly users: UsersRepository,
    private readonly keys: ApiKeysService,
    private readonly database: Database,
  ) {}

  list(): Promise<User[]> {
    return this.users.listUnscoped();
  }

  find(email: string): Promise<User | null> {
    return this.users.findByEmail(email.toLowerCase());
  }

  /** Makes a user with a first key and returns the key; undefined where the address is taken. */
  async create(email: string, secret?: string): Promise<string | undefined> {
    try {
      return await this.database.write(async (manager) => {
        const userId = await this.users.insert(manager, email.toLowerCase());
        const wish = { name: 'first key', scope: 'full', expiresAt: null } as const;
        return this.keys.createIn(manager, userId, wish, secret);
      });
    } catch (error) {
      if (this.database.isDuplicate(error)) return undefined;
      throw error;
    }
  }

  /** Where there is no user yet, makes the first; returns the key that nobody has seen yet, if one was made up. */
  async bootstrap(secret?: string): Promise<string | undefined> {
    if ((await this.users.listUnscoped()).length > 0) return undefined;
    const key = await this.create(FIRST_USER, secret);
    return secret === undefined ? key : undefined;
  }
}
