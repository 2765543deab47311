// The caller's rights in an environment, so that clients offer only permitted actions.
import { z } from 'zod'
import { haveAdminKeys } from '../../data/access/api-key.ts'
import { creationsOfOrganization } from '../../data/access/environment.ts'
import { administeredOf, isAdministrator } from './administration.ts'
import { query } from '../resolver/resolver.ts'
import type { Scope } from '../resolver/scope.ts'

const named = z.object({ id: z.uuid() })

async function administers(scope: Scope, id: string): Promise<boolean> {
  const { caller, load } = scope
  if (!isAdministrator(caller) || !caller.permissions.has('environment:write')) return false
  return administeredOf(scope, await load(creationsOfOrganization, caller.organizationId)).has(id)
}

/** True if the caller may change an environment, and create and revoke its API keys. Batched. */
export const mayAdminister = query({
  name: 'environmentRight.administer',
  permission: 'environment:read',
  main: true,
  input: named,
  run: (scope, { id }) => administers(scope, id),
})

/** True if the caller may delete an environment, unless it is the parent of another environment. Batched. */
export const mayDelete = query({
  name: 'environmentRight.delete',
  permission: 'environment:read',
  main: true,
  input: named,
  async run(scope, { id }) {
    const { caller, environmentId, load } = scope
    if (id === environmentId || (caller.kind === 'dashboard' && id === caller.homeId)) return false
    if (!isAdministrator(caller) || !(await administers(scope, id))) return false
    return caller.access === 'admin' || !(await load(haveAdminKeys, id))
  },
})
