// reencrypt: encrypts every secret with the newest key, so that older keys can be removed.
import { reencrypt, type ReencryptedColumn } from '../../domain/secrets/re-encryption.ts'
import { command } from '../command/command.ts'
import { textTable } from '../output/text-table.ts'

export const reencryptSecrets = command({
  place: 'gateway',
  description: 'Encrypts every secret again with the newest key, while the gateway runs.',
  details:
    'First add the new key at the front of ENCRYPTION_KEYS or the key file, and restart all processes. When the command is done, older keys can be removed. Keep them as long as you keep backups that need them. An interrupted command continues when it is called again.',
  examples: [['reencrypt', 'after each process has the new key at the front']],
  parameters: {},
  interrupted: (progress) => {
    const { done, part } = progress ?? { done: 0, part: 0 }
    return `${done.toLocaleString('en')} secrets are encrypted again (${Math.floor((part ?? 0) * 100)} % of all rows were read). Run the same command again to continue`
  },
  async run({ gateway, others, logger, ...streams }) {
    const opened = others()
    const away = gateway.databases.names.filter((name) => opened.every((other) => other.name !== name))
    if (away.length > 0) throw new Error(`the databases ${away.join(', ')} do not answer: nothing was re-encrypted`)
    const gateways = [gateway, ...opened.map((other) => other.gateway)]
    const columns: ReencryptedColumn[] = []
    for (const [place, one] of gateways.entries()) {
      const onProgress = (done: number, part: number) =>
        streams.progress({ done, unit: 'secrets', part: (place + part) / gateways.length })
      const found = await reencrypt({ gateway: one, logger, signal: streams.signal, onProgress })
      const of = (column: string) => (one.database === null ? column : `${one.database}: ${column}`)
      columns.push(...found.map((counts) => ({ ...counts, column: of(counts.column) })))
    }
    const failed = columns.some(({ undecryptable, missed }) => undecryptable + missed > 0)
    const headings = ['column', 're-encrypted', 'not decryptable', 'missed']
    const rows = columns.map(({ column, rewritten, undecryptable, missed }) =>
      [column, rewritten, undecryptable, missed].map(String),
    )
    const keyId = gateway.cipher.newestKeyId
    const end = failed
      ? 'Some secrets still need older keys. Call reencrypt again for those that were missed. The others need a key that the ring lacks, or were damaged.'
      : `Every secret is encrypted with the key "${keyId}". Older keys can be removed.`
    return { text: `${textTable(headings, rows)}\n\n${end}`, result: { encryptionKeyId: keyId, columns }, failed }
  },
})
