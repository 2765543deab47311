// keys create: creates an API key, even when all other keys are lost.
import { z } from 'zod'
import { ApiKeyAccess } from '../../data/prisma/enums.ts'
import { createApiKey } from '../../domain/access/api-key.ts'
import { ownEnvironment } from '../../domain/access/environment.ts'
import { operatorIn } from '../../domain/access/operator.ts'
import { createScope } from '../../domain/resolver/create-scope.ts'
import { trimmedText } from '../../lib/validation.ts'
import { command, option } from '../command/command.ts'
import { keyResult } from '../output/shown-key.ts'

export const createKey = command({
  place: 'gateway',
  description: 'Creates an API key and prints it, this once.',
  details:
    'The access "full" reads and writes, "read_only" only reads, and "admin" also administers all environments of the organization.',
  examples: [
    ['keys create --environment Production --access admin --name Rescue', 'the way back from a lost ADMIN key'],
    ['keys create --environment Development', 'a key for the back end of an application'],
  ],
  parameters: {
    environment: option('ENVIRONMENT', 'name, identifier or id of its environment', z.string()),
    access: option('ACCESS', 'full, read_only or admin. Default: full', z.enum(ApiKeyAccess).default('full')),
    name: option('NAME', 'name in lists. Default: Command line', trimmedText(100).default('Command line')),
  },
  async run({ gateway }, { environment, access, name }) {
    const scope = createScope(gateway, await operatorIn(gateway.db, environment))
    const own = await ownEnvironment(scope, {})
    const { apiKey, key } = await createApiKey(scope, { name, access })
    return {
      text: [
        `Created the API key "${apiKey.name}" of ${own.name} with the access ${apiKey.access}. It is shown this once:`,
        '',
        `  ${key}`,
        '',
      ].join('\n'),
      result: { ...keyResult(apiKey, { id: own.id, name: own.name }), key },
    }
  },
})
