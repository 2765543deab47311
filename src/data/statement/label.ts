// Labels of statements.

/**
 * The text of a statement with its label, by which an operator finds it in pg_stat_activity and pg_stat_statements.
 *
 * @param label its file and function, such as `migrate.readRecord`. It is part of the text, and so of the name of a
 *   statement: it must not vary from call to call.
 */
export const labelled = (label: string, text: string): string => `/* ${label} */ ${text}`
