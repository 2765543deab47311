// Routes of contexts, as the client reads and writes them.
import { contextRoutes } from '../../../routes/context.ts'
import { reuse } from '../../../vocabulary.ts'
import { prefix } from '../words/prefix.ts'

export const novuContextRoutes = reuse(prefix, contextRoutes, [
  'GET /v2/contexts',
  'POST /v2/contexts',
  'GET /v2/contexts/{type}/{id}',
  'PATCH /v2/contexts/{type}/{id}',
  'DELETE /v2/contexts/{type}/{id}',
])
