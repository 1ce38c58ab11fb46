import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  certificate: string;
  key: string;
}

/** A certificate authority for a test, with its files in a folder of its own. */
export class CertificateAuthority implements Certificate {
  private readonly folder = mkdtempSync(join(tmpdir(), 'milepost-ca-'));
  readonly certificate = join(this.folder, 'ca.pem');
  readonly key = join(this.folder, 'ca.key');

  constructor() {
    openssl(...this.request('ca', '/CN=Milepost tests'), '-x509', '-days', '2', '-out', this.certificate);
  }

  /** Issues a server certificate for one host name. */
  issue(host: string): Certificate {
    const [request, extensions] = [join(this.folder, `${host}.csr`), join(this.folder, `${host}.ext`)];
    const certificate = join(this.folder, `${host}.pem`);
    writeFileSync(extensions, `subjectAltName=DNS:${host}\n`);
    openssl(...this.request(host, `/CN=${host}`), '-out', request);
    const signing = ['-CA', this.certificate, '-CAkey', this.key, '-CAcreateserial', '-days', '2'];
    openssl('x509', '-req', '-in', request, ...signing, '-extfile', extensions, '-out', certificate);
    return { certificate, key: join(this.folder, `${host}.key`) };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  private request(name: string, subject: string): string[] {
    const key = join(this.folder, `${name}.key`);
    return ['req', '-newkey', 'rsa:2048', '-nodes', '-subj', subject, '-keyout', key];
  }
}

function openssl(...parameters: string[]): void {
  execFileSync('openssl', parameters, { stdio: 'pipe' });
}
