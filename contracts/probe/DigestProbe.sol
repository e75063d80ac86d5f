// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

import {AgentWallet} from "../src/AgentWallet.sol";
import {PayoutEscrow} from "../src/PayoutEscrow.sol";

/// @dev Returns the digests that AgentWallet computes, for many inputs per call.
contract WalletDigestProbe is AgentWallet {
    struct Input {
        address account;
        address other;
        uint64 amount;
        uint64 nonce;
        uint16 purchaseAllowance;
        uint40 validUntil;
        uint32 epoch;
        uint48 deadline;
        uint256 units;
        uint256 ownerNonce;
        bytes32 id;
    }

    constructor() AgentWallet(IERC20(address(0)), PayoutEscrow(address(0)), address(0)) {}

    /// @return list For each input: send, rotate, withdraw, setSession, revokeSession, disableRotationAuthority,
    /// reclaimPayout.
    function digests(Input[] calldata inputs) external view returns (bytes32[7][] memory list) {
        list = new bytes32[7][](inputs.length);
        for (uint256 k = 0; k < inputs.length; ++k) {
            Input calldata i = inputs[k];
            list[k] = [
                _digest(_hashSend(i.account, i.amount, i.nonce, i.deadline)),
                _digest(_hashRotate(i.account, i.amount, i.purchaseAllowance, i.validUntil, i.epoch, i.deadline)),
                _digest(_hashWithdraw(i.account, i.other, i.units, i.ownerNonce, i.deadline)),
                _digest(
                    _hashSetSession(i.account, i.amount, i.purchaseAllowance, i.validUntil, i.ownerNonce, i.deadline)
                ),
                _digest(_hashRevokeSession(i.ownerNonce, i.deadline)),
                _digest(_hashDisableRotationAuthority(i.ownerNonce, i.deadline)),
                _digest(_hashReclaimPayout(i.id, i.ownerNonce, i.deadline))
            ];
        }
    }
}

/// @dev Returns the digests that PayoutEscrow computes, for many inputs per call.
contract EscrowDigestProbe is PayoutEscrow {
    struct Input {
        bytes32 id;
        address to;
        uint64 atLeast;
        uint48 deadline;
    }

    constructor() PayoutEscrow(IERC20(address(0))) {}

    /// @return list For each input: claim, reclaim.
    function digests(Input[] calldata inputs) external view returns (bytes32[2][] memory list) {
        list = new bytes32[2][](inputs.length);
        for (uint256 k = 0; k < inputs.length; ++k) {
            Input calldata i = inputs[k];
            list[k] = [
                _digest(_hashClaim(i.id, i.to, i.atLeast, i.deadline)),
                _digest(_hashReclaim(i.id, i.atLeast, i.deadline))
            ];
        }
    }
}
