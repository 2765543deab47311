// The socket of commands in a data directory.
import { socketAddress } from '../data/embedded/directory-lock.ts'

/** Its name while the process answers. */
export const SOCKET = 'commands'

/** @throws Error if the path is too long for a socket. */
export const commandSocket = (directory: string, name = SOCKET) => socketAddress(directory, name)
