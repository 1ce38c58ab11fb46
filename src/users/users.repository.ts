import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../database/database';
import { User } from './user.entity';

@Injectable()
export class UsersRepository {
  constructor(private readonly database: Database) {}

  listUnscoped(): Promise<User[]> {
    return this.database.read((manager) => manager.find(User, { order: { id: 'ASC' } }));
  }

  findByEmail(email: string): Promise<User | null> {
    return this.database.read((manager) => manager.findOneBy(User, { email }));
  }

  find(id: number): Promise<User | null> {
    return this.database.readQuick((manager) => manager.findOneBy(User, { id }));
  }

  async rename(manager: EntityManager, id: number, email: string): Promise<void> {
    await manager.update(User, { id }, { email });
  }

  async insert(manager: EntityManager, email: string): Promise<number> {
    const result = await manager.insert(User, { email, createdAt: new Date() });
    return Number(result.identifiers[0]!.id);
  }
}
