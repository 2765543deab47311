// The brand of an environment in the graph.
import type { Brand as BrandValue } from '../../domain/access/brand.ts'
import { builder } from '../schema/builder.ts'

const descriptions = {
  name: 'The name of the sender.',
  logoUrl: 'The https URL of the logo.',
  primaryColor: 'The color of buttons and links, as #rgb or #rrggbb.',
  websiteUrl: 'The https URL of the website.',
  address: 'The postal address, in one or several lines.',
} as const satisfies Record<keyof BrandValue, string>

export const Brand = builder.objectRef<BrandValue>('Brand')
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

export const BrandInput = builder.inputType('BrandInput', {
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
