// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The immutable arguments of a wallet clone: `owner ‖ provider`, 20 bytes each.
abstract contract WalletArguments {
    /// @notice The key that authorises everything except sends and rotations.
    function owner() public view returns (address) {
        return _argument(0);
    }

    /// @notice The `Provider` contract whose operators may rotate the session key.
    function provider() public view returns (address) {
        return _argument(20);
    }

    /// @dev The address at `offset` in the clone's immutable arguments, which follow its 45 bytes of code. Assembly
    /// reads one word instead of copying all of them. In plain Solidity:
    /// `address(bytes20(slice(Clones.fetchCloneArgs(address(this)), offset)))`.
    function _argument(uint256 offset) private view returns (address argument) {
        assembly ("memory-safe") {
            extcodecopy(address(), 0, add(0x2d, offset), 0x20)
            argument := shr(96, mload(0))
        }
    }
}
