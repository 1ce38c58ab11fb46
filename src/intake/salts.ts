import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database, LOOK_UP_PATIENCE_MS } from '../database/database';
import { decrypt, encrypt, Secret } from '../database/secret';

const SALT_BYTES = 32;
const MAX_KEPT = 3;

/** The random salt of each day, encrypted in its table. All processes use the one that was stored first. */
@Injectable()
export class Salts {
  private readonly known = new Map<number, Buffer>();
  private readonly key: Buffer;

  constructor(
    private readonly database: Database,
    secret: Secret,
  ) {
    this.key = secret.key('salts');
  }

  /** Cache of `of`. */
  kept(day: number): Buffer | undefined {
    return this.known.get(day);
  }

  async of(day: number): Promise<Buffer> {
    return this.known.get(day) ?? this.load(day);
  }

  private async load(day: number): Promise<Buffer> {
    const salt = decrypt(this.key, await this.stored(day), String(day));
    this.known.set(day, salt);
    for (const old of [...this.known.keys()].sort((one, other) => one - other).slice(0, -MAX_KEPT))
      this.known.delete(old);
    return salt;
  }

  private stored(day: number): Promise<Buffer> {
    const { insertIfMissing } = this.database.dialect;
    const proposed = encrypt(this.key, randomBytes(SALT_BYTES), String(day));
    return this.database.write(async (manager) => {
      await manager.query(`${insertIfMissing} salts (day, salt) VALUES (?, ?)`, [day, proposed]);
      const [row] = await manager.query<{ salt: Buffer }[]>('SELECT salt FROM salts WHERE day = ?', [day]);
      return row!.salt;
    }, LOOK_UP_PATIENCE_MS);
  }
}
