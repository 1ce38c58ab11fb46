import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database, LOOK_UP_PATIENCE_MS } from '../database/database';

const MOST_KEPT = 3;

/** The random salt of each day. All processes use the one that was stored first. */
@Injectable()
export class Salts {
  private readonly known = new Map<number, Buffer>();

  constructor(private readonly database: Database) {}

  /** What `of` found before. */
  kept(day: number): Buffer | undefined {
    return this.known.get(day);
  }

  async of(day: number): Promise<Buffer> {
    return this.known.get(day) ?? this.load(day);
  }

  private async load(day: number): Promise<Buffer> {
    const { insertIfMissing } = this.database.dialect;
    const salt = await this.database.write(async (manager) => {
      await manager.query(`${insertIfMissing} salts (day, salt) VALUES (?, ?)`, [day, randomBytes(32)]);
      const [row] = await manager.query<{ salt: Buffer }[]>('SELECT salt FROM salts WHERE day = ?', [day]);
      return row!.salt;
    }, LOOK_UP_PATIENCE_MS);
    this.known.set(day, salt);
    for (const old of [...this.known.keys()].sort((one, other) => one - other).slice(0, -MOST_KEPT))
      this.known.delete(old);
    return salt;
  }
}
