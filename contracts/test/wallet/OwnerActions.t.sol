// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AgentWallet} from "../../src/AgentWallet.sol";
import {IAgentWallet} from "../../src/IAgentWallet.sol";
import {PayoutEscrow} from "../../src/PayoutEscrow.sol";
import {Base} from "../base/Base.sol";

/// @dev Actions that only the owner may perform, called directly. OwnerSignatures.t.sol tests the signed forms.
abstract contract OwnerBase is Base {
    function expectNotOwner(address caller) internal {
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.NotOwner.selector, caller));
        vm.prank(caller);
    }
}

contract WithdrawTest is OwnerBase {
    function testFuzz_withdraw_movesUsdc(address to, uint256 amount) public {
        vm.assume(to != address(0) && to != address(wallet) && to != address(usdc));
        amount = bound(amount, 0, FUNDS);
        vm.prank(vm.addr(OWNER));
        wallet.withdraw(address(usdc), to, amount);
        vm.assertEq(usdc.balanceOf(to), amount);
        vm.assertEq(wallet.state().ownerNonce, 1);
        vm.assertEq(wallet.state().remaining, LIMIT, "a withdrawal must not use the session's budget");
    }

    function test_withdraw_movesEth_sentBeforeTheWalletExisted() public {
        address predicted = factory.walletAddress(vm.addr(OWNER), bytes32("eth"), vm.addr(SESSION), LIMIT, 0, VALID_UNTIL);
        vm.deal(predicted, 3 ether);
        AgentWallet late = create(bytes32("eth"));
        vm.prank(vm.addr(OWNER));
        late.withdraw(address(0), RECIPIENT, 3 ether);
        vm.assertEq(RECIPIENT.balance, 3 ether);
    }

    function test_withdraw_reverts_aboveTheEthBalance() public {
        vm.expectRevert(abi.encodeWithSignature("InsufficientBalance(uint256,uint256)", 0, 1));
        vm.prank(vm.addr(OWNER));
        wallet.withdraw(address(0), RECIPIENT, 1);
    }

    function test_withdraw_reverts_aboveTheUsdcBalance() public {
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "ERC20: transfer amount exceeds balance"));
        vm.prank(vm.addr(OWNER));
        wallet.withdraw(address(usdc), RECIPIENT, uint256(FUNDS) + 1);
        vm.assertEq(wallet.state().ownerNonce, 0, "a failed action must not use a nonce");
    }

    function test_withdraw_reverts_whenToZeroOrItself() public {
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.InvalidRecipient.selector, address(0)));
        vm.prank(vm.addr(OWNER));
        wallet.withdraw(address(usdc), address(0), 1);

        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.InvalidRecipient.selector, address(wallet)));
        vm.prank(vm.addr(OWNER));
        wallet.withdraw(address(usdc), address(wallet), 1);
    }

    function testFuzz_withdraw_reverts_whenNotOwner(address caller) public {
        vm.assume(caller != vm.addr(OWNER));
        expectNotOwner(caller);
        wallet.withdraw(address(usdc), caller, 1);
    }

    function test_withdraw_works_withoutASessionOrProvider() public {
        vm.prank(vm.addr(OWNER));
        wallet.revokeSession();
        vm.prank(vm.addr(OWNER));
        wallet.disableRotationAuthority();
        vm.warp(uint256(VALID_UNTIL) + 365 days);
        vm.prank(vm.addr(OWNER));
        wallet.withdraw(address(usdc), RECIPIENT, FUNDS);
        vm.assertEq(usdc.balanceOf(RECIPIENT), FUNDS);
    }
}

contract SetSessionTest is OwnerBase {
    /// @dev Overwrites both words, so that nothing of the old session remains.
    function testFuzz_setSession_replacesTheWholeSession(
        address key,
        uint48 limit,
        uint16 allowance,
        uint40 validUntil
    ) public {
        vm.assume(key != address(0));
        allowance = uint16(bound(allowance, 0, limit / 1e6 > type(uint16).max ? type(uint16).max : limit / 1e6));
        send(RECIPIENT, 5, nonceOf(1, 100));
        vm.prank(vm.addr(OWNER));
        wallet.setSession(key, limit, allowance, validUntil);

        AgentWallet.State memory state = wallet.state();
        vm.assertEq(state.sessionKey, key);
        vm.assertEq(state.validUntil, validUntil);
        vm.assertEq(state.remaining, limit - uint256(allowance) * 1e6);
        vm.assertEq(state.purchaseAllowance, allowance);
        vm.assertEq(state.epoch, 2);
        vm.assertEq(state.top, nonceOf(2, 0));
        vm.assertEq(state.seen, 0);
        vm.assertFalse(state.sessionRevoked, "revoked");
        vm.assertFalse(state.rotationDisabled, "disabled");
        vm.assertEq(state.ownerNonce, 1);
    }

    function test_setSession_reverts_whenKeyIsZero() public {
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.InvalidSessionKey.selector, address(0)));
        vm.prank(vm.addr(OWNER));
        wallet.setSession(address(0), 1, 0, VALID_UNTIL);
    }

    function testFuzz_setSession_reverts_fromALimitOf48Bits(uint64 limit) public {
        limit = uint64(bound(limit, uint64(1) << 48, type(uint64).max));
        vm.expectRevert(
            abi.encodeWithSelector(IAgentWallet.LimitTooHigh.selector, limit, (uint64(1) << 48) - 1)
        );
        vm.prank(vm.addr(OWNER));
        wallet.setSession(vm.addr(SESSION), limit, 0, VALID_UNTIL);
    }

    function testFuzz_setSession_reverts_whenTheAllowanceExceedsTheLimit(uint64 limit, uint16 allowance) public {
        allowance = uint16(bound(allowance, 1, type(uint16).max));
        limit = uint64(bound(limit, 0, uint64(allowance) * 1e6 - 1));
        vm.expectRevert(
            abi.encodeWithSelector(IAgentWallet.PurchaseAllowanceTooHigh.selector, allowance, limit)
        );
        vm.prank(vm.addr(OWNER));
        wallet.setSession(vm.addr(SESSION), limit, allowance, VALID_UNTIL);
    }

    function testFuzz_setSession_reverts_whenNotOwner(address caller) public {
        vm.assume(caller != vm.addr(OWNER));
        expectNotOwner(caller);
        wallet.setSession(caller, 1, 0, VALID_UNTIL);
    }

    function test_setSession_neverRevivesOldSignatures_ofTheSameKey() public {
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 5, nonceOf(1, 0), DEADLINE);
        vm.prank(vm.addr(OWNER));
        wallet.setSession(vm.addr(SESSION), LIMIT, 0, VALID_UNTIL);

        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.WrongEpoch.selector, 1, 2));
        wallet.send(RECIPIENT, 5, nonceOf(1, 0), DEADLINE, r, vs);
        send(RECIPIENT, 5, nonceOf(2, 0));
    }

    function test_setSession_keepsRotationDisabled() public {
        vm.prank(vm.addr(OWNER));
        wallet.disableRotationAuthority();
        vm.prank(vm.addr(OWNER));
        wallet.setSession(vm.addr(SESSION), LIMIT, 0, VALID_UNTIL);
        vm.assertTrue(wallet.state().rotationDisabled, "rotation is enabled again");
    }

    function test_setSession_allowsRotationAgain_afterRevoke() public {
        vm.prank(vm.addr(OWNER));
        wallet.revokeSession();
        vm.prank(vm.addr(OWNER));
        wallet.setSession(vm.addr(SESSION), LIMIT, 0, VALID_UNTIL);
        rotate(0xbeef1, LIMIT, VALID_UNTIL, 3);
        vm.assertEq(wallet.state().sessionKey, vm.addr(0xbeef1));
    }

    /// @dev At the largest epoch the owner can still act: the epoch wraps to zero.
    function test_setSession_works_atTheLastEpoch() public {
        bytes32 slot = bytes32(uint256(1));
        uint256 word = (uint256(LIMIT) << 208) | (uint256(type(uint32).max) << 160);
        vm.store(address(wallet), slot, bytes32(word));
        vm.assertEq(wallet.state().epoch, type(uint32).max);

        vm.prank(vm.addr(OWNER));
        wallet.setSession(vm.addr(SESSION), LIMIT, 0, VALID_UNTIL);
        vm.assertEq(wallet.state().epoch, 0);
        vm.prank(vm.addr(OWNER));
        wallet.revokeSession();
        vm.prank(vm.addr(OWNER));
        wallet.withdraw(address(usdc), RECIPIENT, FUNDS);
    }

    /// @dev No counter may block a direct call.
    function test_ownerActions_work_atTheLastOwnerNonce() public {
        vm.store(address(wallet), bytes32(uint256(2)), bytes32(type(uint256).max));
        vm.assertEq(wallet.state().ownerNonce, type(uint256).max);
        vm.prank(vm.addr(OWNER));
        wallet.withdraw(address(usdc), RECIPIENT, 1);
        vm.assertEq(wallet.state().ownerNonce, 0);
    }
}

contract RevokeSessionTest is OwnerBase {
    function test_revokeSession_endsEverythingTheKeySigned() public {
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 5, nonceOf(1, 3), DEADLINE);
        (bytes32 r2, bytes32 vs2) = signSend(SESSION, address(wallet), RECIPIENT, 5, nonceOf(2, 3), DEADLINE);
        vm.prank(vm.addr(OWNER));
        wallet.revokeSession();

        AgentWallet.State memory state = wallet.state();
        vm.assertEq(state.sessionKey, address(0));
        vm.assertEq(state.remaining, 0);
        vm.assertEq(state.validUntil, 0);
        vm.assertEq(state.epoch, 2);
        vm.assertTrue(state.sessionRevoked, "not revoked");
        vm.assertEq(state.ownerNonce, 1);

        bytes memory old = abi.encodeCall(AgentWallet.send, (RECIPIENT, 5, nonceOf(1, 3), DEADLINE, r, vs));
        bytes memory next = abi.encodeCall(AgentWallet.send, (RECIPIENT, 5, nonceOf(2, 3), DEADLINE, r2, vs2));
        vm.assertFalse(attempt(STRANGER, address(wallet), old), "old epoch accepted");
        vm.assertFalse(attempt(STRANGER, address(wallet), next), "new epoch accepted");
    }

    function test_revokeSession_blocksRotation() public {
        vm.prank(vm.addr(OWNER));
        wallet.revokeSession();
        (bytes32 r, bytes32 vs) = signRotate(OPERATOR, address(wallet), RECIPIENT, LIMIT, 0, VALID_UNTIL, 2, DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.SessionRevoked.selector));
        wallet.rotateSessionKey(RECIPIENT, LIMIT, 0, VALID_UNTIL, 2, DEADLINE, r, vs);
    }

    function testFuzz_revokeSession_reverts_whenNotOwner(address caller) public {
        vm.assume(caller != vm.addr(OWNER));
        expectNotOwner(caller);
        wallet.revokeSession();
    }
}

contract DisableRotationAuthorityTest is OwnerBase {
    function test_disableRotationAuthority_isPermanent_andKeepsTheCurrentKey() public {
        vm.prank(vm.addr(OWNER));
        wallet.disableRotationAuthority();
        vm.assertTrue(wallet.state().rotationDisabled, "still allowed");
        vm.assertEq(wallet.state().ownerNonce, 1);
        send(RECIPIENT, 5, nonceOf(1, 0));

        (bytes32 r, bytes32 vs) = signRotate(OPERATOR, address(wallet), RECIPIENT, LIMIT, 0, VALID_UNTIL, 1, DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.RotationDisabled.selector));
        wallet.rotateSessionKey(RECIPIENT, LIMIT, 0, VALID_UNTIL, 1, DEADLINE, r, vs);

        vm.prank(vm.addr(OWNER));
        wallet.revokeSession();
        vm.assertTrue(wallet.state().rotationDisabled, "revoke enabled rotation again");
    }

    function testFuzz_disableRotationAuthority_reverts_whenNotOwner(address caller) public {
        vm.assume(caller != vm.addr(OWNER));
        expectNotOwner(caller);
        wallet.disableRotationAuthority();
    }
}

contract ReclaimPayoutTest is OwnerBase {
    PayoutEscrow.Terms private _terms;

    function setUp() public override {
        super.setUp();
        _terms = someTerms();
        send(escrow.payoutAddress(_terms), _terms.amount, nonceOf(1, 0));
    }

    function test_reclaimPayout_returnsThePayout_beforeExpiry() public {
        vm.prank(vm.addr(OWNER));
        wallet.reclaimPayout(_terms);
        vm.assertEq(usdc.balanceOf(address(wallet)), FUNDS);
        vm.assertEq(wallet.state().ownerNonce, 1);
    }

    function test_reclaimPayout_returnsDustThatArrivesLater() public {
        claim(_terms, RECIPIENT, _terms.amount);
        mint(escrow.payoutAddress(_terms), 1);
        vm.prank(vm.addr(OWNER));
        wallet.reclaimPayout(_terms);
        vm.assertEq(usdc.balanceOf(address(wallet)), FUNDS - _terms.amount + 1);
    }

    function test_reclaimPayout_reverts_whenThePayoutIsEmpty() public {
        claim(_terms, RECIPIENT, _terms.amount);
        vm.expectRevert(abi.encodeWithSignature("BelowMinimum(uint256,uint256)", 0, 1));
        vm.prank(vm.addr(OWNER));
        wallet.reclaimPayout(_terms);
    }

    /// @dev For another payer's terms the escrow requires a signature until expiry.
    function test_reclaimPayout_reverts_whenNotThePayer() public {
        _terms.payer = STRANGER;
        mint(escrow.payoutAddress(_terms), 5);
        vm.expectRevert(abi.encodeWithSelector(PayoutEscrow.SignatureExpired.selector, 0, START));
        vm.prank(vm.addr(OWNER));
        wallet.reclaimPayout(_terms);
    }

    function testFuzz_reclaimPayout_reverts_whenNotOwner(address caller) public {
        vm.assume(caller != vm.addr(OWNER));
        expectNotOwner(caller);
        wallet.reclaimPayout(_terms);
    }
}
