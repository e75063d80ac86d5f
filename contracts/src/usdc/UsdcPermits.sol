// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {UsdcSignatures} from "./UsdcSignatures.sol";
import {UsdcTransfers} from "./UsdcTransfers.sol";

/// @title Approvals of the stand-in by signature (EIP-2612).
abstract contract UsdcPermits is UsdcTransfers, UsdcSignatures {
    bytes32 public constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    mapping(address owner => uint256) public nonces;

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        permit(owner, spender, value, deadline, abi.encodePacked(r, s, v));
    }

    /// @dev Ignores the blacklist, as `approve` does.
    /// @param deadline Unix seconds, inclusive.
    function permit(address owner, address spender, uint256 value, uint256 deadline, bytes memory signature)
        public
        whenNotPaused
    {
        require(block.timestamp <= deadline, "FiatTokenV2: permit is expired");
        bytes32 structHash = keccak256(abi.encode(PERMIT_TYPEHASH, owner, spender, value, nonces[owner]++, deadline));
        require(_isSigned(owner, structHash, signature), "EIP2612: invalid signature");
        _approve(owner, spender, value);
    }
}
