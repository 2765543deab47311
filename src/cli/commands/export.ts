// export subscribers, topics, subscriptions and suppressions: writes them as CSV or JSON Lines.
import { z } from 'zod'
import { operatorIn } from '../../domain/access/operator.ts'
import { createScope } from '../../domain/resolver/create-scope.ts'
import { command, option } from '../command/command.ts'
import { formatNames, formatOfName, formats } from '../formats/format.ts'
import type { Transfer } from '../transfers/transfer.ts'
import { subscriberTransfer } from '../transfers/subscribers.ts'
import { subscriptionTransfer } from '../transfers/subscriptions.ts'
import { suppressionTransfer } from '../transfers/suppressions.ts'
import { topicTransfer } from '../transfers/topics.ts'

function exportOf(transfer: Transfer) {
  const { unit } = transfer
  return command({
    place: 'gateway',
    file: 'write',
    interrupted: (progress) =>
      `${(progress?.done ?? 0).toLocaleString('en')} ${unit} were read, and no file was written. Run the same command again`,
    description: `Exports ${unit} as CSV or JSON Lines, oldest first.`,
    details: `import ${unit} reads the same formats. JSON Lines are exact; a CSV file has the same empty cell for null, an empty text and an empty object. Credentials are not exported.`,
    examples: [
      [`export ${unit} ${unit}.csv --environment Production`, 'writes a file, readable by its owner only'],
      [`export ${unit} --environment Production --format jsonl | gzip > ${unit}.jsonl.gz`, 'writes to a pipe'],
    ],
    parameters: {
      environment: option('ENVIRONMENT', 'name, identifier or id', z.string()),
      format: option(
        'FORMAT',
        'csv or jsonl. Default: from the extension of the file, otherwise csv',
        z.enum(formatNames).optional(),
      ),
    },
    async run({ gateway, fileName, signal, write, progress }, { environment, format: given }) {
      const scope = createScope(gateway, await operatorIn(gateway.db, environment))
      const format = formats[given ?? formatOfName(fileName)]
      let done = 0
      await write(format.begin(transfer))
      for await (const items of transfer.read(scope)) {
        signal.throwIfAborted()
        await write(format.write(transfer, items))
        done += items.length
        progress({ done, unit })
      }
      return { text: `Exported ${unit}: ${done.toLocaleString('en')}`, result: { exported: done } }
    },
  })
}

export const exportSubscribers = exportOf(subscriberTransfer)
export const exportTopics = exportOf(topicTransfer)
export const exportSubscriptions = exportOf(subscriptionTransfer)
export const exportSuppressions = exportOf(suppressionTransfer)
