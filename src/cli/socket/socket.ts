// The command socket in a data directory.
import { socketAddress } from '../../data/embedded/directory-lock.ts'

/** The name of the socket while the process serves commands. */
export const SOCKET = 'commands'

/** @throws Error if the path is too long for a socket. */
export const commandSocket = (directory: string, name = SOCKET) => socketAddress(directory, name)
