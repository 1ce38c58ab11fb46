import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'milepost-secret-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The secret of all processes that one file of tests starts, unless it names another. */
export const SECRET_FILE = join(folder, 'secret');
