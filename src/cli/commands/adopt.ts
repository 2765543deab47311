// adopt: gives an environment the identifier and the API key of an application that moves here.
import { z } from 'zod'
import { adoptApplication } from '../../domain/access/adoption.ts'
import { ownEnvironment } from '../../domain/access/environment.ts'
import { operatorIn } from '../../domain/access/operator.ts'
import { createScope } from '../../domain/resolver/create-scope.ts'
import { refuse } from '../../lib/errors.ts'
import { trimmedText } from '../../lib/validation.ts'
import { command, type CommandStreams, option } from '../command/command.ts'
import { keyResult } from '../output/shown-key.ts'

/** Bytes of a file above which it is none of this command. */
const MAX_BYTES = 10_000

/** Reads the file. @throws Refusal `INVALID` that names what is allowed, without quoting the file: it has a secret. */
async function fieldsIn({ input, fileName }: CommandStreams): Promise<object> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of input) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw refuse('INVALID', `${fileName} must be at most ${MAX_BYTES} bytes long`)
  }
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(Buffer.concat(chunks).toString()))
  } catch {
    throw refuse(
      'INVALID',
      `${fileName} must be a JSON object: { "applicationIdentifier": "...", "secretKey": "..." }, or one of the two`,
    )
  }
}

export const adopt = command({
  place: 'gateway',
  file: 'read',
  description: 'Gives an environment the identifier and the API key of an existing application.',
  details:
    'Pages and back ends of the application then change addresses only. The file is a JSON object with `applicationIdentifier`, `secretKey` or both. The former identifier of the environment ends at once, so its own pages must use the new one. Other API keys stay. The key gets the access "full".',
  examples: [
    ['adopt application.json --environment Production', 'reads a file'],
    ['adopt --environment Production < application.json', 'reads stdin'],
  ],
  parameters: {
    environment: option('ENVIRONMENT', 'name, identifier or id of the environment', z.string()),
    name: option('NAME', 'name of the key in lists. Default: Adopted key', trimmedText(100).default('Adopted key')),
  },
  async run(context, { environment: named, name }) {
    const fields = await fieldsIn(context)
    const { gateway } = context
    const scope = createScope(gateway, await operatorIn(gateway.db, named))
    // Validates the fields: they are the resolver's.
    const adopted = await adoptApplication(scope, { ...fields, name })
    const { environment, formerIdentifier, apiKey, isWeak } = adopted
    const own = await ownEnvironment(scope, {})
    const lines = [`${own.name} has the identifier ${environment.identifier}.`]
    if (formerIdentifier !== environment.identifier) lines.push(`The former identifier ${formerIdentifier} has ended.`)
    if (apiKey !== null) lines.push(`${own.name} has the API key "${apiKey.name}", which ends in ${apiKey.hint}.`)
    if (isWeak) lines.push('The API key is weak: create a random one, change the back ends, and revoke this one.')
    return {
      text: lines.join('\n'),
      result: {
        environment: { id: own.id, name: own.name, identifier: environment.identifier },
        formerIdentifier,
        apiKey: apiKey && keyResult(apiKey, { id: own.id, name: own.name }),
        isWeak,
      },
    }
  },
})
