// The order of the categories while someone changes it: shown at once, and saved in the background.
import { useRef, useState } from 'react'
import { readsBack, useAct } from '../../graph/act.ts'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { useReadAgain } from '../../graph/read-again.ts'
import { MAX_CATEGORIES } from '../../parts/suggestion/categories.ts'
import { showProblems } from '../../parts/messages.ts'

export const categoriesQuery = graphql(`
  query Categories($first: Int!) {
    categories(first: $first, orderBy: { field: POSITION, direction: ASC }) {
      nodes {
        id
        key
        name
        description
        isHidden
        position
        updatedAt
        channels {
          channel
          enabled
        }
        workflows(first: 0) {
          totalCount
          totalCountCapped
        }
      }
    }
  }
`)

/** All categories are on one page. */
export const allCategories = { first: MAX_CATEGORIES }

export type ListedCategory = ResultOf<typeof categoriesQuery>['categories']['nodes'][number]

const reorderCategoriesMutation = graphql(`
  mutation ReorderCategories($input: ReorderCategoriesInput!) {
    reorderCategories(input: $input) {
      categories {
        id
        position
        updatedAt
        version
      }
      userErrors {
        message
        field
      }
    }
  }
`)

/**
 * Returns the categories in their order, and a function that moves one of them. Moves that follow each other faster than
 * they are saved are saved together.
 */
export function useCategoryOrder(
  stored: readonly ListedCategory[],
): readonly [categories: readonly ListedCategory[], move: (key: string, to: number) => void] {
  const [reorder] = useAct(reorderCategoriesMutation, readsBack)
  const readAgain = useReadAgain(categoriesQuery, allCategories)
  /** The keys in the order that is not saved yet. */
  const [chosen, setChosen] = useState<readonly string[]>()
  const latest = useRef<readonly string[]>(undefined)

  const placeOf = ({ key, position }: ListedCategory) => {
    const place = chosen?.indexOf(key) ?? position
    // One that somebody else has just created is the last.
    return place === -1 ? MAX_CATEGORIES : place
  }
  const categories = stored.toSorted((one, other) => placeOf(one) - placeOf(other))

  const save = async () => {
    let saved: readonly string[] | undefined
    while (latest.current !== undefined && latest.current !== saved) {
      saved = latest.current
      const outcome = await reorder({ keys: [...saved] })
      if (outcome.ok) continue
      showProblems(outcome.problems)
      // Somebody else may have created or deleted a category.
      await readAgain()
      break
    }
    latest.current = undefined
    setChosen(undefined)
  }
  const move = (key: string, to: number) => {
    const keys = categories.map((category) => category.key).filter((one) => one !== key)
    const isSaving = latest.current !== undefined
    latest.current = keys.toSpliced(to, 0, key)
    setChosen(latest.current)
    if (!isSaving) void save()
  }
  return [categories, move]
}
