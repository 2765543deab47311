// Routes of contexts, as the client reads and writes them.
import { contextRoutes } from '../../../routes/context.ts'
import { reuse } from '../../../vocabulary.ts'
import { prefix } from '../words/prefix.ts'
import { refusing, unsupported } from '../words/unsupported.ts'

const bridgeUrl = unsupported('workflows run in the gateway')

export const novuContextRoutes = [
  ...reuse(prefix, contextRoutes, [
    'GET /v2/contexts',
    'GET /v2/contexts/{type}/{id}',
    'DELETE /v2/contexts/{type}/{id}',
  ]),
  ...reuse(prefix, contextRoutes, ['POST /v2/contexts', 'PATCH /v2/contexts/{type}/{id}']).map((route) =>
    refusing(route, { bridgeUrl }),
  ),
]
