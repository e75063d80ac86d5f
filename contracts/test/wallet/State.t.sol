// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AgentWallet} from "../../src/AgentWallet.sol";
import {IAgentWallet} from "../../src/IAgentWallet.sol";
import {WalletArguments} from "../../src/WalletArguments.sol";
import {Base} from "../base/Base.sol";

contract StateTest is Base {
    function test_state_returnsEveryField() public view {
        AgentWallet.State memory state = wallet.state();
        vm.assertEq(state.blockNumber, block.number);
        vm.assertEq(state.timestamp, START);
        vm.assertEq(state.sessionKey, vm.addr(SESSION));
        vm.assertEq(state.validUntil, VALID_UNTIL);
        vm.assertEq(state.epoch, 1);
        vm.assertFalse(state.rotationDisabled, "disabled");
        vm.assertFalse(state.sessionRevoked, "revoked");
        vm.assertEq(state.remaining, LIMIT);
        vm.assertEq(state.top, nonceOf(1, 0));
        vm.assertEq(state.seen, 0);
        vm.assertEq(state.balance, FUNDS);
        vm.assertEq(state.ownerNonce, 0);
        vm.assertEq(state.grantDay, START / 1 days);
        vm.assertEq(state.grantedToday, 0);
        vm.assertEq(state.purchaseAllowance, 0);
    }

    function test_arguments_areOwnerAndProvider() public view {
        vm.assertEq(wallet.owner(), vm.addr(OWNER));
        vm.assertEq(wallet.provider(), address(provider));
        vm.assertEq(address(wallet.USDC()), address(usdc));
        vm.assertEq(address(wallet.ESCROW()), address(escrow));
        vm.assertEq(wallet.FACTORY(), address(factory));
    }

    function testFuzz_arguments_ofAnyOwner(address owner, bytes32 salt) public {
        vm.assume(owner != address(0) && owner.code.length == 0);
        AgentWallet other = AgentWallet(factory.createWallet(owner, salt, vm.addr(SESSION), LIMIT, 0, VALID_UNTIL));
        vm.assertEq(other.owner(), owner);
        vm.assertEq(other.provider(), address(provider));
    }

    function testFuzz_initialize_reverts_whenNotTheFactory(address caller) public {
        vm.assume(caller != address(factory));
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.NotFactory.selector, caller));
        vm.prank(caller);
        wallet.initialize(caller, 1, 0, VALID_UNTIL);

        AgentWallet implementation = factory.IMPLEMENTATION();
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.NotFactory.selector, caller));
        vm.prank(caller);
        implementation.initialize(caller, 1, 0, VALID_UNTIL);
    }

    /// @dev There is no fallback, no receive and no execute: only the functions listed here exist.
    function testFuzz_unknownFunctions_revert(bytes4 selector, bytes calldata data) public {
        bytes4[26] memory known = [
            AgentWallet.send.selector,
            AgentWallet.withdraw.selector,
            AgentWallet.setSession.selector,
            AgentWallet.revokeSession.selector,
            AgentWallet.disableRotationAuthority.selector,
            AgentWallet.reclaimPayout.selector,
            AgentWallet.withdrawBySig.selector,
            AgentWallet.setSessionBySig.selector,
            AgentWallet.revokeSessionBySig.selector,
            AgentWallet.disableRotationAuthorityBySig.selector,
            AgentWallet.reclaimPayoutBySig.selector,
            AgentWallet.rotateSessionKey.selector,
            AgentWallet.initialize.selector,
            AgentWallet.isValidSignature.selector,
            AgentWallet.state.selector,
            WalletArguments.owner.selector,
            WalletArguments.provider.selector,
            bytes4(keccak256("USDC()")),
            bytes4(keccak256("ESCROW()")),
            bytes4(keccak256("FACTORY()")),
            bytes4(keccak256("MAX_GRANT()")),
            bytes4(keccak256("MAX_VALIDITY()")),
            bytes4(keccak256("MAX_OWNER_DEADLINE()")),
            bytes4(keccak256("MAX_PURCHASE_VALIDITY()")),
            bytes4(keccak256("SEND_TYPEHASH()")),
            bytes4(keccak256("ROTATE_TYPEHASH()"))
        ];
        for (uint256 i = 0; i < known.length; ++i) {
            vm.assume(selector != known[i]);
        }
        vm.assume(!_isTypeHash(selector));
        vm.assertFalse(attempt(vm.addr(OWNER), address(wallet), abi.encodePacked(selector, data)), "accepted");
    }

    function _isTypeHash(bytes4 selector) private pure returns (bool) {
        return selector == bytes4(keccak256("WITHDRAW_TYPEHASH()"))
            || selector == bytes4(keccak256("SET_SESSION_TYPEHASH()"))
            || selector == bytes4(keccak256("REVOKE_SESSION_TYPEHASH()"))
            || selector == bytes4(keccak256("DISABLE_ROTATION_AUTHORITY_TYPEHASH()"))
            || selector == bytes4(keccak256("RECLAIM_PAYOUT_TYPEHASH()"));
    }

    function test_eth_isRefused() public {
        vm.deal(address(this), 1 ether);
        (bool success,) = address(wallet).call{value: 1 ether}("");
        vm.assertFalse(success, "accepted ETH");
    }
}
