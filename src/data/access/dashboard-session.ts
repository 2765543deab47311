// Dashboard sessions and the codes that open them: single use, sign-out and the sweep.
import type { Connection } from '../connection/database.ts'
import type { Tenant } from '../reading/loader.ts'
import { type DashboardSession, type SignInCode } from '../prisma/client.ts'
import { limitTo, sql, sqlCount } from '../statement/statement.ts'

/** A new session, without the fields that come from the code. */
type FromCode = Pick<DashboardSession, 'id' | 'hash' | 'createdAt' | 'expiresAt'>

/**
 * Opens a session with a code, which works only once: of several concurrent requests, one finds it.
 *
 * @param codeHash is unique in all environments.
 * @returns undefined if the code was used before, has expired at `createdAt` or does not exist.
 */
export async function redeemCode(
  db: Connection,
  codeHash: string,
  { id, hash, createdAt, expiresAt }: FromCode,
): Promise<Pick<SignInCode, 'environmentId' | 'access'> | undefined> {
  const [opened] = await sql<Pick<SignInCode, 'environmentId' | 'access'>>(db, 'dashboard-session.redeemCode')`
    WITH code AS (
      DELETE FROM sign_in_codes WHERE hash = ${codeHash} AND expires_at > ${createdAt}::timestamptz
      RETURNING environment_id, access, user_id
    )
    INSERT INTO dashboard_sessions (environment_id, id, sign_in_id, access, user_id, hash, working_environment_id,
                                    created_at, expires_at)
    SELECT environment_id, ${id}::uuid, ${id}::uuid, access, user_id, ${hash}, environment_id,
           ${createdAt}::timestamptz, ${expiresAt}::timestamptz
    FROM code RETURNING environment_id AS "environmentId", access`
  return opened
}

/**
 * Extends all sessions of a sign-in, none of which ends earlier than before.
 *
 * @param longest maximum milliseconds from the sign-in to the end of its sessions.
 * @returns the time at which they end. Undefined if the sign-in was closed.
 */
export async function extendSignIn(
  db: Connection,
  { environmentId, signInId }: Pick<DashboardSession, 'environmentId' | 'signInId'>,
  { until, longest }: { readonly until: Date; readonly longest: number },
): Promise<Date | undefined> {
  const [extended] = await sql<Pick<DashboardSession, 'expiresAt'>>(db, 'dashboard-session.extendSignIn')`
    UPDATE dashboard_sessions AS session
    SET expires_at = greatest(session.expires_at, least(${until}::timestamptz,
                              sign_in.created_at + make_interval(secs => ${longest / 1000}::float8)))
    FROM dashboard_sessions AS sign_in
    WHERE session.environment_id = ${environmentId}::uuid AND session.sign_in_id = ${signInId}::uuid
      AND sign_in.environment_id = session.environment_id AND sign_in.id = session.sign_in_id
    RETURNING session.expires_at AS "expiresAt"`
  return extended?.expiresAt
}

/** Deletes a portion of the expired sessions and codes of an environment. @returns the numbers of deleted rows. */
export async function sweepSignIns(
  { db, environmentId }: Tenant,
  { before, take }: { readonly before: Date; readonly take: number },
): Promise<{ readonly sessions: number; readonly codes: number }> {
  const sessions = await sqlCount(db, 'dashboard-session.sweepSignIns')`
    DELETE FROM dashboard_sessions WHERE environment_id = ${environmentId}::uuid AND ctid = ANY (ARRAY(
      SELECT ctid FROM dashboard_sessions
      WHERE environment_id = ${environmentId}::uuid AND expires_at <= ${before}::timestamptz
      ORDER BY expires_at ${limitTo(take)} FOR UPDATE SKIP LOCKED))`
  const codes = await sqlCount(db, 'dashboard-session.sweepSignIns')`
    DELETE FROM sign_in_codes WHERE environment_id = ${environmentId}::uuid AND ctid = ANY (ARRAY(
      SELECT ctid FROM sign_in_codes
      WHERE environment_id = ${environmentId}::uuid AND expires_at <= ${before}::timestamptz
      ORDER BY expires_at ${limitTo(take)} FOR UPDATE SKIP LOCKED))`
  return { sessions, codes }
}
