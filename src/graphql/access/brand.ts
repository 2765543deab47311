// The brand of an environment in the graph.
import { type Brand as BrandValue, brandIn } from '../../domain/access/brand.ts'
import type { Environment } from '../../domain/access/environment.ts'
import { builder, type InputFields } from '../schema/builder.ts'
import { clearsIt } from '../schema/wording.ts'

const descriptions = {
  name: 'The name of the sender.',
  logoUrl: 'The https URL of the logo.',
  primaryColor: 'The color of buttons and links, as #rgb or #rrggbb.',
  websiteUrl: 'The https URL of the website.',
  address: 'The postal address, in one or several lines.',
} as const satisfies Record<keyof BrandValue, string>

const Brand = builder.objectRef<BrandValue>('Brand')
Brand.implement({
  description: 'What recipients know a sender by.',
  fields: (t) => {
    const field = (name: keyof BrandValue) =>
      t.string({
        nullable: true,
        description: `${descriptions[name]} Null if it has none.`,
        resolve: (brand) => brand[name],
      })
    return {
      name: field('name'),
      logoUrl: field('logoUrl'),
      primaryColor: field('primaryColor'),
      websiteUrl: field('websiteUrl'),
      address: field('address'),
    }
  },
})

const BrandInput = builder.inputType('BrandInput', {
  description:
    'What recipients know a sender by. Fields that are absent have no value. The data of a context may have a `brand` with the same fields, which win for its messages.',
  fields: (t) => ({
    name: t.string({ description: `${descriptions.name} 1 to 100 characters.` }),
    logoUrl: t.string({ description: descriptions.logoUrl }),
    primaryColor: t.string({ description: descriptions.primaryColor }),
    websiteUrl: t.string({ description: descriptions.websiteUrl }),
    address: t.string({ description: `${descriptions.address} 1 to 300 characters.` }),
  }),
})

/** The field of an environment. */
export const shownBrand = {
  type: Brand,
  nullable: true,
  description: 'What recipients know the sender by, on preference pages. Null if nothing is set.',
  resolve: ({ brand }: Pick<Environment, 'brand'>) => (brand === null ? null : brandIn(brand)),
} as const

/** The field of an input that changes the brand. */
export const newBrand = (t: InputFields) =>
  t.field({
    type: BrandInput,
    description: `What recipients know the sender by, which replaces all its fields. ${clearsIt}`,
  })
