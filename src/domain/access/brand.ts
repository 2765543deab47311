// The brand of an environment: what recipients know its sender by, on the pages of links in messages. A context can have a
// brand of its own in its data, such as a tenant.
import { z } from 'zod'
import { Prisma } from '../../data/prisma/client.ts'
import { present } from '../../lib/present.ts'
import { asObject } from '../channel/stored-json.ts'
import { text, trimmedText } from '../../lib/validation.ts'

const httpsUrl = text(2048).refine(
  (value) => /^https:\/\/\S+$/i.test(value) && URL.canParse(value),
  'must be an absolute https URL',
)

/** The input schema of a color. */
export const hexColor = z.string().regex(/^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/, 'must be a hex color, such as #7c3aed')

const fields = {
  name: trimmedText(100).nullish().meta({ description: 'Name of the sender.' }),
  logoUrl: httpsUrl.nullish().meta({ description: 'https URL of the logo.' }),
  primaryColor: z.clone(hexColor).nullish().meta({ description: 'Color of buttons and links, as #rgb or #rrggbb.' }),
  websiteUrl: httpsUrl.nullish().meta({ description: 'https URL of the website.' }),
  address: trimmedText(300).nullish().meta({ description: 'Postal address, in one or several lines.' }),
} as const

/** The input schema of a brand. */
export const brandInput = z.object(fields).nullish().meta({
  description:
    'What recipients know the sender by, on preference pages. Replaces all its fields. Null removes it. The data of a context may have a `brand` with the same fields, which win for its messages.',
})

/** Returns a new brand as its column has it. Undefined leaves it unchanged. */
export function brandColumn(given: z.output<typeof brandInput>) {
  return given === null ? Prisma.DbNull : given && present(given)
}

type BrandField = keyof typeof fields

/** A brand. Fields without a value are absent. */
export type Brand = { readonly [Field in BrandField]?: string }

/** Returns the valid fields of a stored brand, or of the data of a context, which can be anything. */
export function brandIn(value: Prisma.JsonValue | undefined): Brand {
  const given = new Map<string, unknown>(Object.entries(value ?? {}))
  const found = (Object.keys(fields) as BrandField[]).flatMap((name): [BrandField, string][] => {
    const parsed = fields[name].safeParse(given.get(name))
    return parsed.success && typeof parsed.data === 'string' ? [[name, parsed.data]] : []
  })
  return Object.fromEntries(found)
}

/** @param own the one of the environment. @param datas those of the contexts, of which later ones win. */
export const brandWith = (own: Prisma.JsonValue, datas: readonly Prisma.JsonValue[]): Brand =>
  datas.reduce<Brand>((brand, data) => ({ ...brand, ...brandIn(asObject(data)['brand']) }), brandIn(own))
