import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'milepost-secret-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The default secret of all processes that a test file starts. */
export const SECRET_FILE = join(folder, 'secret');
