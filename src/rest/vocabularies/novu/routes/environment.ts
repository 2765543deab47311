// Routes of environments, as the client reads and writes them.
import { z } from 'zod'
import { environments, updateEnvironment } from '../../../../domain/access/environment.ts'
import { workflowTags } from '../../../../domain/workflow.ts'
import { environmentRoutes, environmentView, showEnvironment } from '../../../routes/environment.ts'
import { route } from '../../../route.ts'
import { reuse } from '../../../vocabulary.ts'
import { rowsOfAllPages, firstPage } from '../words/whole-list.ts'
import { prefix } from '../words/prefix.ts'
import { unsupported } from '../words/unsupported.ts'

const byId = z.object({ id: z.string().meta({ description: '`_id` of the environment.' }) })

export const novuEnvironmentRoutes = [
  ...reuse(prefix, environmentRoutes, ['POST /v1/environments', 'DELETE /v1/environments/{id}']),
  route({
    method: 'get',
    path: `${prefix}/v1/environments`,
    summary: 'List all environments of the organization',
    resolver: environments,
    input: () => ({ page: firstPage }),
    statuses: [200],
    response: z.array(environmentView),
    async view(page, scope) {
      const rows = await rowsOfAllPages(page, (next) => environments(scope, { page: next }))
      return Promise.all(rows.map((row) => showEnvironment(row, scope)))
    },
  }),
  route({
    method: 'put',
    path: `${prefix}/v1/environments/{id}`,
    summary: 'Update an environment',
    example: { name: 'Staging', color: '#0284c7' },
    params: byId,
    body: updateEnvironment.definition.input.omit({ id: true, identifier: true }).extend({
      identifier: unsupported('the identifier of an environment does not change'),
      bridge: unsupported('workflows run in the gateway'),
      dns: unsupported('the gateway receives no mail'),
    }),
    resolver: updateEnvironment,
    statuses: [200],
    response: environmentView,
    view: (row, scope) => showEnvironment(row, scope),
  }),
  route({
    method: 'get',
    path: `${prefix}/v2/environments/{id}/tags`,
    summary: 'List the tags of the workflows of the environment',
    params: byId,
    resolver: workflowTags,
    input: ({ params: { id } }) => ({ environmentId: id }),
    statuses: [200],
    response: z.array(z.object({ name: z.string() })),
    view: (tags) => tags.map((name) => ({ name })),
  }),
]
