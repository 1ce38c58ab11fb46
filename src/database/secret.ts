import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { readSecretFile } from '../config/secret-file';
import { SettingError } from '../../engine/ground/setting-error';
import type { Database } from '../../engine/database/database';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** The bytes that encryption adds to a text. */
export const ENCRYPTION_BYTES = NONCE_BYTES + TAG_BYTES;

/** The secret of an installation. It is not in the database, and so not in its backups. */
export class Secret {
  constructor(private readonly bytes: Buffer) {}

  /** Reads the secret from a file. Throws if the database has been used with another one. */
  static async check(path: string, database: Database): Promise<Secret> {
    const secret = new Secret(readSecretFile(path));
    const own = secret.checkValue;
    const { insertIfMissing } = database.dialect;
    const known = await database.write(async (manager) => {
      await manager.query(`${insertIfMissing} secret_check (id, check_value) VALUES (1, ?)`, [own]);
      const [row] = await manager.query<{ check_value: Buffer }[]>('SELECT check_value FROM secret_check');
      return row!.check_value;
    });
    if (known.length !== own.length || !timingSafeEqual(known, own))
      throw new SettingError(
        'SECRET_FILE',
        `${path} contains a secret other than the one that this database uses`,
      );
    return secret;
  }

  /** What a database keeps to tell this secret from others. */
  get checkValue(): Buffer {
    return this.key('check value');
  }

  /** A key for one purpose; keys of different purposes reveal nothing about each other. */
  key(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.bytes, '', `milepost ${purpose}`, KEY_BYTES));
  }
}

/** AES-256-GCM: nonce, tag, text. Decryption needs the same context. */
export function encrypt(key: Buffer, text: Buffer, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const encrypted = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
}

export function decrypt(key: Buffer, encrypted: Buffer, context: string): Buffer {
  const nonce = encrypted.subarray(0, NONCE_BYTES);
  const tag = encrypted.subarray(NONCE_BYTES, ENCRYPTION_BYTES);
  const cipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context)).setAuthTag(tag);
  return Buffer.concat([cipher.update(encrypted.subarray(ENCRYPTION_BYTES)), cipher.final()]);
}
