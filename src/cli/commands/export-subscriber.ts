// export subscriber: writes all data about one person as a JSON document.
import { z } from 'zod'
import { operatorIn } from '../../domain/access/operator.ts'
import { createScope } from '../../domain/resolver/create-scope.ts'
import { exportSubscriber, MAX_EXPORTED } from '../../domain/erasure/subscriber-export.ts'
import { argument, command, option } from '../command/command.ts'

const truncatedIn = z.object({ truncated: z.array(z.string()) })

export const exportCommand = command({
  place: 'gateway',
  file: 'write',
  description: 'Exports everything about one subscriber as a JSON document, without secrets.',
  examples: [
    ['export subscriber ada ada.json --environment Production', 'writes a file, readable by its owner only'],
    ['export subscriber ada --environment Production', 'prints it'],
  ],
  parameters: {
    subscriberId: argument('ID', 'subscriberId of the subscriber', z.string()),
    environment: option('ENVIRONMENT', 'name, identifier or id', z.string()),
  },
  async run({ gateway, write }, { subscriberId, environment }) {
    const scope = createScope(gateway, await operatorIn(gateway.db, environment))
    const document = await exportSubscriber(scope, { subscriberId })
    await write(`${JSON.stringify(document, undefined, 2)}\n`)
    const { truncated } = truncatedIn.parse(document)
    const rest = truncated.length === 0 ? '' : ` These have more than ${MAX_EXPORTED}: ${truncated.join(', ')}.`
    return { text: `Exported the subscriber "${subscriberId}".${rest}`, result: { subscriberId, truncated } }
  },
})
