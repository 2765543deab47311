// Tells the resolvers of an operation that it was rejected because of its variables.
import { type ExecutionArgs, getNamedType } from 'graphql'
import { reportRejection } from '../../domain/resolver/resolver.ts'
import { Refusal } from '../../lib/errors.ts'
import { fieldName, issueAt } from '../../lib/validation.ts'
import type { GraphContext } from '../schema/builder.ts'
import { factsOf } from './document-facts.ts'
import type { InvalidVariables } from './variable-limits.ts'

/** The input type of a mutation. */
const inputTypeOf = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`

/**
 * Reports invalid variables to the resolvers of the root fields. The input of a mutation is the variable of its type,
 * otherwise all variables, which usually have the names of its fields. The messages have no values, which may be secret.
 */
export function reportInvalidVariables(
  args: ExecutionArgs,
  { scope }: Pick<GraphContext, 'scope'>,
  { places }: InvalidVariables,
): void {
  const facts = factsOf(args)
  for (const { name, resolver } of facts?.roots ?? []) {
    if (resolver?.definition.rejected === undefined) continue
    const variable = facts?.variables.find(({ type }) => getNamedType(type).name === inputTypeOf(name))
    const issues = places.map((place) => {
      const path = variable?.name === place.name ? place.path : [place.name, ...place.path]
      return issueAt(
        path,
        fieldName(path) === '' ? 'The input is missing or invalid' : 'is missing or invalid',
        undefined,
      )
    })
    const refusal = new Refusal('MALFORMED', issues.map(({ message }) => message).join('; '), { issues })
    reportRejection(scope, resolver, variable ? args.variableValues?.[variable.name] : args.variableValues, refusal)
  }
}
