import { createPrivateKey, X509Certificate } from 'node:crypto'
import { statSync } from 'node:fs'
import type { Tls } from '../routes/http/server.ts'
import { readBounded } from '../settings/files.ts'
import type { Settings } from '../settings/settings.ts'
import { UsageError } from '../settings/usage-error.ts'
import { starting } from './start-error.ts'

/** Reads the certificate and key that the settings name; null for plain HTTP. Throws StartError. */
export async function readTls({ tls }: Settings): Promise<Tls | null> {
  if (!tls) return null
  const cert = await starting('TLS_CERT', tls.cert, () => certificate(tls.cert))
  const key = await starting('TLS_KEY', tls.key, () => privateKey(tls.key, cert))
  return { cert, key, endMs: Date.parse(new X509Certificate(cert).validTo) }
}

function certificate(path: string): string {
  const text = readBounded(path)
  if (!tried(() => new X509Certificate(text)))
    throw new UsageError(
      'it holds no certificate in PEM: name the file of the certificate and its chain',
    )
  return text
}

function privateKey(path: string, cert: string): string {
  if ((statSync(path).mode & 0o004) !== 0)
    throw new UsageError('everybody may read it: chmod 600 it')
  const text = readBounded(path)
  const key = tried(() => createPrivateKey(text))
  if (!key)
    throw new UsageError('it holds no private key in PEM, or one with a passphrase: take that away')
  if (!new X509Certificate(cert).checkPrivateKey(key))
    throw new UsageError(
      'it is not the key of the certificate: name the pair that belongs together',
    )
  return text
}

/** The reasons of the library quote what it read. */
function tried<T>(parse: () => T): T | null {
  try {
    return parse()
  } catch {
    return null
  }
}
