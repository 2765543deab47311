// Enums of codes that the API has in lower case elsewhere, such as in variables of templates and at REST.
import { builder } from './builder.ts'

/** Defines an enum with a value for each code. @param codes the description of each code. */
export function codeEnum<Code extends string>(
  name: string,
  description: string,
  codes: Readonly<Record<Code, string>>,
) {
  const values = Object.entries<string>(codes).map(([value, description]) => [
    value.toUpperCase(),
    { value, description },
  ])
  return builder.enumType(name, {
    description,
    values: Object.fromEntries(values) as Record<Uppercase<Code>, { value: Code; description: string }>,
  })
}
