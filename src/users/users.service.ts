import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../auth/api-keys.service';
import { InvalidFields } from '../../engine/ground/errors';
import { EntityDatabase } from '../database/entity-database';
import type { User } from './user.entity';
import { type UserChanges, UsersRepository } from './users.repository';

const FIRST_USER = 'admin@localhost';

@Injectable()
export class UsersService {
  constructor(
    private readonly users: UsersRepository,
    private readonly keys: ApiKeysService,
    private readonly database: EntityDatabase,
  ) {}

  list(): Promise<User[]> {
    return this.users.listUnscoped();
  }

  find(email: string): Promise<User | null> {
    return this.users.findByEmail(email.toLowerCase());
  }

  /** The user of a key; no key outlives its user. */
  async show(id: number): Promise<User> {
    return (await this.users.find(id))!;
  }

  /** Changes the address that identifies a user, or the language of mails. */
  async change(id: number, { email, language }: UserChanges): Promise<User> {
    if (email === undefined && language === undefined) return this.show(id);
    try {
      await this.database.write((manager) => this.users.change(manager, id, { email, language }));
    } catch (error) {
      if (this.database.isDuplicate(error)) throw new InvalidFields({ email: ['is taken'] });
      throw error;
    }
    return this.show(id);
  }

  /** Creates a user with a first key and returns the key. Undefined if the address is taken. */
  async create(email: string, secret?: string): Promise<string | undefined> {
    try {
      return await this.database.write(async (manager) => {
        const userId = await this.users.insert(manager, email.toLowerCase());
        const wish = { name: 'first key', scope: 'full', websites: null, expiresAt: null } as const;
        const made = await this.keys.createIn(manager, userId, wish, secret);
        return made.secret;
      });
    } catch (error) {
      if (this.database.isDuplicate(error)) return undefined;
      throw error;
    }
  }

  async areThere(): Promise<boolean> {
    return (await this.users.listUnscoped()).length > 0;
  }

  /** Creates the first user with this key. False if a user exists. */
  async bootstrap(secret: string): Promise<boolean> {
    return !(await this.areThere()) && (await this.create(FIRST_USER, secret)) !== undefined;
  }

  /** The only user, if none of that user's keys was ever used. */
  async onlyUserWithoutUse(): Promise<User | undefined> {
    const [user, ...others] = await this.users.listUnscoped();
    if (!user || others.length > 0) return undefined;
    const keys = await this.keys.list(user.id);
    return keys.every(({ lastUsedAt }) => lastUsedAt === null) ? user : undefined;
  }
}
