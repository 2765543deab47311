// The categories of the environment, to choose from.
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'

/** The maximum number of categories of an environment. */
export const MAX_CATEGORIES = 50

const categoryChoicesQuery = graphql(`
  query CategoryChoices($first: Int!) {
    categories(first: $first, orderBy: { field: POSITION, direction: ASC }) {
      nodes {
        id
        key
        name
      }
    }
  }
`)

/**
 * Returns an option for each category, in their order. Without options until they are loaded.
 *
 * @param chosen the keys of categories that get an option even if they do not exist
 */
export function useCategoryOptions(chosen: readonly string[]): { readonly value: string; readonly label: string }[] {
  const [{ data }] = useQuery({ query: categoryChoicesQuery, variables: { first: MAX_CATEGORIES } })
  const names = new Map(data?.categories.nodes.map(({ key, name }) => [key, name]))
  return [...new Set([...names.keys(), ...chosen])].map((key) => ({ value: key, label: names.get(key) ?? key }))
}
