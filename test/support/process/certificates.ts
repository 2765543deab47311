// Certificates of a test's own, made with openssl.
import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { postgresUser } from './postgres-user.ts'

/** True if openssl is installed. */
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** The paths of a certificate and its key. */
export interface CertificateFiles {
  readonly certificate: string
  readonly key: string
}

const openssl = (words: readonly string[]) => execFileSync('openssl', words, { stdio: ['ignore', 'ignore', 'pipe'] })

/** PostgreSQL rejects a key that others can read, or that belongs to another user. */
function own(key: string): void {
  if (postgresUser?.uid !== undefined) chownSync(key, postgresUser.uid, postgresUser.gid)
}

/** Creates a certification authority in a folder. */
export function createAuthority(folder: string, name: string): CertificateFiles {
  const [key, certificate] = [path.join(folder, `${name}.key`), path.join(folder, `${name}.pem`)]
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`]
  openssl([...request, '-keyout', key, '-out', certificate])
  return { key, certificate }
}

/**
 * Creates a certificate in a folder.
 *
 * @param name the common name: for a client, the user of the database.
 * @param address the IP address of a server.
 */
export function createCertificate(
  folder: string,
  authority: CertificateFiles,
  { name, address }: { readonly name: string; readonly address?: string },
): CertificateFiles {
  const file = (extension: string) => path.join(folder, `${name}.${extension}`)
  const [key, certificate, request, extensions] = [file('key'), file('pem'), file('csr'), file('ext')]
  openssl(['req', '-newkey', 'rsa:2048', '-nodes', '-subj', `/CN=${name}`, '-keyout', key, '-out', request])
  writeFileSync(extensions, address === undefined ? '' : `subjectAltName = IP:${address}\n`)
  const signer = ['-CA', authority.certificate, '-CAkey', authority.key, '-CAcreateserial']
  openssl(['x509', '-req', '-days', '2', '-in', request, ...signer, '-extfile', extensions, '-out', certificate])
  own(key)
  return { key, certificate }
}
