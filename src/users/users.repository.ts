import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { EntityDatabase } from '../database/entity-database';
import { User } from './user.entity';

/** What a user may change. What is undefined stays. */
export type UserChanges = { [name in 'email' | 'language']?: User[name] | undefined };

@Injectable()
export class UsersRepository {
  constructor(
    private readonly database: EntityDatabase,
    @InjectRepository(User) private readonly users: Repository<User>,
  ) {}

  listUnscoped(): Promise<User[]> {
    return this.database.read((manager) => this.in(manager).find({ order: { id: 'ASC' } }));
  }

  findByEmail(email: string): Promise<User | null> {
    return this.database.read((manager) => this.in(manager).findOneBy({ email }));
  }

  find(id: number): Promise<User | null> {
    return this.database.readQuick((manager) => this.in(manager).findOneBy({ id }));
  }

  async change(manager: EntityManager, id: number, changes: UserChanges): Promise<void> {
    await this.in(manager).update({ id }, changes);
  }

  async insert(manager: EntityManager, email: string): Promise<number> {
    const result = await this.in(manager).insert({ email, language: 'en', createdAt: new Date() });
    return Number(result.identifiers[0]!.id);
  }

  /** The injected repository would bypass Database's deadlines and its queue of writes. */
  private in(manager: EntityManager): Repository<User> {
    return manager.withRepository(this.users);
  }
}
