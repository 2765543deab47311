// login: prints a link that signs in to the dashboard once.
import { z } from 'zod'
import { ApiKeyAccess } from '../../data/prisma/enums.ts'
import { ownEnvironment } from '../../domain/access/environment.ts'
import { operatorIn, operators } from '../../domain/access/operator.ts'
import { createScope } from '../../domain/resolver/create-scope.ts'
import { command, type GatewayContext, option } from '../command/command.ts'
import { createSignInLink } from '../output/sign-in-link.ts'

/** The operator in the named environment, or in the first one. @throws Refusal `NOT_FOUND` */
async function operatorOf({ gateway }: GatewayContext, named: string | undefined) {
  if (named !== undefined) return operatorIn(gateway.db, named)
  const [first] = await operators(gateway.db)
  if (first === undefined) {
    throw new Error('The database has no environments: start the gateway once, which creates the first ones')
  }
  return first
}

export const login = command({
  place: 'gateway',
  description: 'Prints a link that signs in to the dashboard.',
  details: 'The link works once, within ten minutes. The session lasts for twelve hours, or until you sign out.',
  examples: [
    ['login', 'to the first environment, with the access "full"'],
    ['login --environment Production --access read_only', 'to look around, without changing anything'],
    ['login --access admin', 'to administer all environments of the organization'],
  ],
  parameters: {
    environment: option(
      'ENVIRONMENT',
      'name, identifier or id of the environment. Default: the oldest one',
      z.string().optional(),
    ),
    access: option(
      'ACCESS',
      'full, read_only or admin. Default: full',
      z.string().toLowerCase().pipe(z.enum(ApiKeyAccess)).default('full'),
    ),
  },
  async run(context, { environment, access }) {
    const address = context.dashboardAddress()
    if (address === undefined) throw new Error('The dashboard is off: set DASHBOARD=on and start the gateway again')
    const operator = await operatorOf(context, environment)
    const { url, expiresAt } = await createSignInLink(context.gateway, operator, { address, access })
    const { id, name } = await ownEnvironment(createScope(context.gateway, operator), {})
    return {
      text: [
        `Open this link to sign in to ${name} with the access ${access}. It works once, within ten minutes:`,
        '',
        `  ${url}`,
        '',
      ].join('\n'),
      result: { url, expiresAt, environment: { id, name }, access },
    }
  },
})
