// Finds places in a source file where a small change should make a test fail, and inserts a switch at each.
import ts from 'typescript'

/** A change of one expression or statement. */
export interface Change {
  /** The kind of change, such as `negated condition`. */
  readonly kind: string
  /** The range in the source. */
  readonly start: number
  readonly end: number
  /** The replacement of the range. Undefined for a statement that is removed. */
  readonly replacement: string | undefined
  /** The text of the function or other declaration that contains the change. */
  readonly declaration: string
}

/** A change that can be turned on by its id while the program runs. */
export interface Mutant extends Change {
  /** From 1. */
  readonly id: number
  /** Path from the root of the repository. */
  readonly file: string
  readonly line: number
  /** The text before the change, shortened. */
  readonly original: string
}

const swapped = new Map([
  ['&&', '||'],
  ['||', '&&'],
  ['===', '!=='],
  ['!==', '==='],
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['-', '+'],
  ['*', '/'],
  ['/', '*'],
  ['%', '*'],
])
const swappedMethods = new Map([
  ['some', 'every'],
  ['every', 'some'],
])

/** True for a string that is a value, not a name or part of a type. */
function isValue({ parent }: ts.StringLiteral): boolean {
  const isName = ts.isPropertyAssignment(parent) || ts.isElementAccessExpression(parent) || ts.isCaseClause(parent)
  return !isName && !ts.isImportDeclaration(parent) && !ts.isExportDeclaration(parent)
}

/** True for a property that changes no result: a query without `select` only reads more columns. */
function isWithoutEffect(property: ts.PropertyAssignment | ts.ShorthandPropertyAssignment): boolean {
  const value = ts.isPropertyAssignment(property) ? property.initializer.getText() : ''
  return property.name.getText() === 'select' || value === 'undefined'
}

/**
 * Returns all changes of a file that take effect each time a function runs. Code that is evaluated only once, at the
 * start, is left out.
 */
export function changesOf(name: string, text: string): Change[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)
  const changes: Change[] = []
  let declaration = ''
  const textOf = (node: ts.Node) => node.getText(file)
  const change = (node: ts.Node, kind: string, replacement: string | undefined) => {
    if (replacement !== textOf(node))
      changes.push({ kind, start: node.getStart(file), end: node.getEnd(), replacement, declaration })
  }

  function changesAt(node: ts.Node): void {
    if (ts.isIfStatement(node)) change(node.expression, 'negated condition', `!(${textOf(node.expression)})`)
    if (ts.isConditionalExpression(node)) change(node.condition, 'negated condition', `!(${textOf(node.condition)})`)
    if (ts.isBinaryExpression(node)) {
      const operator = swapped.get(textOf(node.operatorToken))
      if (operator)
        change(
          node,
          `${operator} instead of ${textOf(node.operatorToken)}`,
          `${textOf(node.left)} ${operator} ${textOf(node.right)}`,
        )
    }
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name: method, expression } = node.expression
      const other = swappedMethods.get(method.text)
      if (other)
        change(
          node,
          `${other} instead of ${method.text}`,
          `${textOf(expression)}.${other}(${node.arguments.map(textOf).join(', ')})`,
        )
    }
    if (ts.isExpressionStatement(node) && ts.isBlock(node.parent)) {
      const called = ts.isAwaitExpression(node.expression) ? node.expression.expression : node.expression
      if (ts.isCallExpression(called)) change(node, 'call left out', undefined)
    }
    if (ts.isReturnStatement(node) && node.expression) change(node.expression, 'nothing returned', 'undefined')
    if (ts.isObjectLiteralExpression(node) && node.properties.length > 1) {
      for (const property of node.properties) {
        if (!ts.isPropertyAssignment(property) && !ts.isShorthandPropertyAssignment(property)) continue
        if (isWithoutEffect(property)) continue
        const others = node.properties.filter((other) => other !== property).map(textOf)
        change(node, `without ${textOf(property.name)}`, `{ ${others.join(', ')} }`)
      }
    }
    if (ts.isArrayLiteralExpression(node) && node.elements.length > 0) change(node, 'empty array', '[]')
    if (ts.isStringLiteral(node) && node.text !== '' && isValue(node)) change(node, 'empty string', "''")
    if (ts.isNumericLiteral(node) && !ts.isPropertyAssignment(node.parent))
      change(node, 'number plus one', `(${node.text} + 1)`)
    if (node.kind === ts.SyntaxKind.TrueKeyword) change(node, 'false instead of true', 'false')
    if (node.kind === ts.SyntaxKind.FalseKeyword) change(node, 'true instead of false', 'true')
  }

  /** True for the target of an assignment, which is not an expression. */
  const isTarget = (node: ts.Node) =>
    ts.isBinaryExpression(node.parent) &&
    node.parent.left === node &&
    node.parent.operatorToken.kind === ts.SyntaxKind.EqualsToken
  function visit(node: ts.Node, isInFunction: boolean): void {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || isTarget(node))
      return
    if (isInFunction) changesAt(node)
    const body = ts.isFunctionLike(node) && 'body' in node ? node.body : undefined
    ts.forEachChild(node, (child) => visit(child, isInFunction || child === body))
  }
  ts.forEachChild(file, (node) => {
    declaration = textOf(node)
    visit(node, false)
  })
  return changes
}

/** Returns the source with a switch at each mutant: `__mutant(id)` is true while it is turned on. */
export function withSwitches(text: string, mutants: readonly Mutant[]): string {
  const outermostFirst = mutants.toSorted(
    (one, other) =>
      one.start - other.start ||
      other.end - one.end ||
      Number(other.replacement === undefined) - Number(one.replacement === undefined),
  )
  function render(start: number, end: number, within: readonly Mutant[]): string {
    let [rendered, at, rest] = ['', start, within]
    for (let [first] = rest; first !== undefined; [first] = rest) {
      const { start: from, end: to, replacement } = first
      const isRemoval = replacement === undefined
      const isHere = (other: Mutant) =>
        other.start === from && other.end === to && (other.replacement === undefined) === isRemoval
      const inside = rest.filter((other) => other.end <= to)
      const body = render(
        from,
        to,
        inside.filter((other) => !isHere(other)),
      )
      const switched = isRemoval
        ? `if (!__mutant(${first.id})) { ${body} }`
        : `(${inside
            .filter(isHere)
            .map((mutant) => `__mutant(${mutant.id}) ? (${mutant.replacement}) : `)
            .join('')}(${body}))`
      rendered += text.slice(at, from) + switched
      at = to
      rest = rest.filter((other) => other.end > to)
    }
    return rendered + text.slice(at, end)
  }
  return render(0, text.length, outermostFirst)
}
