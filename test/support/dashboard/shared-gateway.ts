// Gateways that the stories of a test file share. Each story has an organization of its own, as on a first start, so that
// it sees nothing of the others.
import { inject } from 'vitest'
import { createOrganization } from '../../../src/domain/access/bootstrap.ts'
import { Cipher, newKeyRing } from '../../../src/lib/cipher.ts'
import { newId } from '../../../src/lib/new-id.ts'
import { copyOf } from '../prepare.ts'
import {
  type GatewayProcess,
  type Settings,
  started,
  startedForMany,
  withDatabase,
} from '../process/gateway-process.ts'

/** The keys of an organization: that of Development is FULL, and that of Production is ADMIN. */
export interface Organization {
  readonly development: string
  readonly production: string
}

/** The place of a story: a gateway, and an organization that no other story uses. */
interface Place extends Organization {
  readonly address: string
}

/** The organizations of a gateway. The embedded database admits no other process later. A file has fewer stories. */
const ORGANIZATIONS = 16

interface SharedGateway {
  readonly address: string
  readonly gateway: GatewayProcess
  readonly unused: Organization[]
  readonly remove: () => Promise<void>
}

async function createOrganizations(settings: Settings & { readonly ENCRYPTION_KEYS: string }): Promise<Organization[]> {
  const cipher = new Cipher(settings.ENCRYPTION_KEYS)
  return withDatabase(settings, ({ client }) =>
    client.$transaction(async (db) => {
      const organizations: Organization[] = []
      while (organizations.length < ORGANIZATIONS) {
        const name = `key-of-dashboard-story-${organizations.length + 1}`
        const keys = await createOrganization({ db, cipher, newId, now: () => new Date() }, name)
        const [development = '', production = ''] = keys.map(({ key }) => key)
        organizations.push({ development, production })
      }
      // The first environment captures messages. Most stories are about sending them.
      await db.environment.updateMany({ data: { sending: 'live' } })
      return organizations
    }),
  )
}

async function start(settings: Settings): Promise<SharedGateway> {
  const { location, remove } = await copyOf(inject('template'))
  const database: Settings =
    location.directory === undefined ? { DATABASE_URL: location.url } : { DATA_DIR: location.directory }
  const all = { ...database, ENCRYPTION_KEYS: newKeyRing('stories'), ...settings }
  const unused = await createOrganizations(all)
  const { address, gateway } = await startedForMany(all)
  return {
    ...{ address, gateway, unused },
    async remove() {
      await gateway.kill('SIGKILL')
      await remove()
    },
  }
}

/** The gateways of the test file, by their settings. */
const gateways = new Map<string, Promise<SharedGateway>>()

/** Returns a place on a gateway with these settings, which the first story starts. */
export async function placeOn(settings: Settings): Promise<Place> {
  const key = JSON.stringify(settings)
  const starting = gateways.get(key) ?? start(settings)
  gateways.set(key, starting)
  const { address, unused } = await starting
  const organization = unused.pop()
  if (organization === undefined) throw new Error(`a file with more than ${ORGANIZATIONS} stories is too long`)
  return { address, ...organization }
}

/** The same on a gateway of the story's own, whose database the settings name. */
export async function placeOnOwn(settings: Settings): Promise<Place> {
  const development = 'key-of-the-only-dashboard-story'
  const { address, keys } = await started({ ...settings, BOOTSTRAP_API_KEY: development })
  return { address, development, production: keys[0] ?? '' }
}

/** Ends the gateways of the test file. */
export async function closeGateways(): Promise<void> {
  const all = await Promise.allSettled(gateways.values())
  gateways.clear()
  for (const one of all) if (one.status === 'fulfilled') await one.value.remove()
}
